((call target: (identifier) @keyword (arguments . (_) @name)) @definition
  (#any-of? @keyword "defmodule" "defprotocol" "defimpl" "def" "defp" "defmacro" "defmacrop"
    "defguard" "defguardp" "defdelegate"))
