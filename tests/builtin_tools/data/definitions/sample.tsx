interface Props {
  title: string;
}

export function Page({ title }: Props) {
  const click = () => {
    alert(title);
  };
  return <button onClick={click}>{title}</button>;
}

export const Row = (props: Props) => <div>{props.title}</div>;
