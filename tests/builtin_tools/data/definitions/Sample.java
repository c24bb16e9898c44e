package shelf;

@Entity
public class Sample {
    private int count;

    @Inject
    public Sample(int count) {
        this.count = count;
    }

    @Override
    public String toString() {
        Runnable inner = () -> {};
        return "";
    }

    interface Open {
        void open();
    }

    enum Kind {
        PAPER
    }

    record Point(int x, int y) {}
}
