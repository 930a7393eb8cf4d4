/** A promise that an event settles, which nobody can await at the place where the promise is made. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  #resolve: (value: T | PromiseLike<T>) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Settles, with a promise, as that one does, rejections included. Only the first call counts. */
  settle(value: T | PromiseLike<T>): void {
    this.#resolve(value);
  }
}
