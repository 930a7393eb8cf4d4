import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a visitor gave the secret. Takes as long for a near miss as for any other. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
