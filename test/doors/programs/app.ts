// TypeScript whose types are cut away, so that lines and names are those of a source map.

type Item = { readonly key: readonly number[] };

interface Sink {
  take(value: number): void;
}

class Adder implements Sink {
  #sum = 0;
  take(value: number): void {
    this.#sum = (this.#sum * 31 + value) | 0;
  }
  get sum(): number {
    return this.#sum;
  }
}

function parse(times: number): number {
  let sum = 0;
  for (let i = 0; i < times; i++) {
    const item = JSON.parse(`{"key":[${i % 100},2,3]}`) as Item;
    sum += item.key[0] as number;
  }
  return sum;
}

function fill(sink: Sink, times: number): void {
  for (let i = 0; i < times; i++) sink.take(i);
}

const adder = new Adder();
for (let i = 0; i < 100; i++) {
  adder.take(parse(1000));
  fill(adder, 1_000_000);
}
