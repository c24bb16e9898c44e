package shelf

@Serializable
data class Book(val title: String) {
    fun open(): Int {
        fun inner(): Int {
            return 1
        }
        return inner()
    }

    companion object {
        fun create() = Book("")
    }
}

interface Open {
    fun open(): Int
}

object Shelves {
    @JvmStatic
    fun all(): List<Book> = listOf()
}

enum class Kind { PAPER }

suspend fun <T> List<T>.second(): T = this[1]
