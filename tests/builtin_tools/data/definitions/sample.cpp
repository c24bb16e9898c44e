#include <vector>

namespace shelf {

template <typename T>
class Shelf : public Base {
public:
    explicit Shelf(int n) : n_(n) {}
    virtual void open() const;
    struct Inner {
        int x;
    };

private:
    int n_;
};

template <typename T>
void Shelf<T>::open() const {
    auto inner = [] { return 1; };
}

enum class Kind { Paper };

using Title = std::string;

}  // namespace shelf

int main(int argc, char **argv) {
    return 0;
}
