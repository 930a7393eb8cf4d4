/** A print fmt that can't be evaluated; the message states what of it. Never leaves this folder. */
export class PrintFmtError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PrintFmtError';
  }
}
