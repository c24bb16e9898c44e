package shelf

type Book struct {
	Title string
}

type (
	Reader interface {
		Read(book Book) error
	}
	Name = string
)

func (b *Book) Open() error {
	return nil
}

func New[T any](title string) *Book {
	inner := func() {}
	inner()
	return &Book{title}
}
