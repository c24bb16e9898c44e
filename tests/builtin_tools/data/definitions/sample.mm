#import <Foundation/Foundation.h>

@protocol Open
- (int)open;
@end

@interface Shelf : NSObject
- (void)fill:(int)count;
@end

@implementation Shelf
- (void)fill:(int)count {
    NSLog(@"%d", count);
}
@end

int main(void) {
    return 0;
}
