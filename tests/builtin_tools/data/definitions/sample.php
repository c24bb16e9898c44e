<?php

namespace Shelves;

#[Attribute]
class Shelf extends Base
{
    #[Test]
    public function open(int $n): string
    {
        $inner = function () {
            return 1;
        };
        return '';
    }
}

interface Open
{
    public function open(int $n): string;
}

trait Counts
{
}

enum Kind: string
{
    case Paper = 'paper';
}

function outside()
{
}
