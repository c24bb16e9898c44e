module Shelves
  class Shelf < Base
    attr_reader :count

    def initialize(count)
      @count = count
    end

    def self.open
      new(1)
    end

    class << self
      def close
      end
    end

    class Inner
    end
  end
end

def outside(a) = a
