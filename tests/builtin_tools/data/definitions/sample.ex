defmodule Shelves.Shelf do
  @moduledoc "Holds books."

  defmodule Inner do
    def open(n), do: n
  end

  @doc "Opens."
  @spec open(integer) :: integer
  def open(n) when n > 0 do
    n
  end

  defp close, do: :ok

  defmacro fill(x) do
    x
  end
end
