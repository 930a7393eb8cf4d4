/** A print fmt that can't be evaluated; the message says what of it. Never leaves this folder. */
export class PrintFmtError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PrintFmtError';
  }
}
