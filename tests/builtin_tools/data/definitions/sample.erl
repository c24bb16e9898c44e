-module(shelf).
-export([open/1]).

-record(book, {title}).

open(0) ->
    zero;
open(N) ->
    inner(N).

inner(X) ->
    X.
