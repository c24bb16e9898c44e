#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct book {
    int pages;
};

typedef struct {
    int count;
} shelf_t;

enum kind { PAPER };

static int
open_shelf(struct book *b)
{
    return b->pages;
}

char *title(int n) { return 0; }

int close_shelf(void);
