resource "aws_instance" "web" {
  ami = "x"

  root_block_device {
    size = 1
  }
}

variable "region" {
  default = "eu"
}
