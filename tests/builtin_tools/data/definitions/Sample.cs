namespace Shelves
{
    [Serializable]
    public class Sample<T> : Base
    {
        public int Count { get; set; }

        public Sample(int count)
        {
            Count = count;
        }

        [Test]
        public async Task<int> Open()
        {
            int Inner()
            {
                return 1;
            }
            return Inner();
        }

        private struct Book { }
    }

    public interface IOpen
    {
        void Open();
    }

    public record Point(int X, int Y);

    enum Kind { Paper }
}
