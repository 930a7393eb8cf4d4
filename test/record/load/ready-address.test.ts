import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { parseReadyAddress } from '../../../src/record/load/ready-address.ts';

describe('parseReadyAddress', () => {
  it.each([
    ['3000', 'localhost', 3000],
    [':3000', 'localhost', 3000],
    ['127.0.0.1:80', '127.0.0.1', 80],
    ['[::1]:8080', '::1', 8080],
    ['tcp://db:5432', 'db', 5432],
  ])('reads %s as a TCP port', (text, host, port) => {
    expect(parseReadyAddress(text)).toEqual({ kind: 'tcp', host, port });
  });

  it('a URL is taken as it is', () => {
    const url = 'http://localhost:3000/health';
    expect(parseReadyAddress(url)).toEqual({ kind: 'http', url });
  });

  it.each(['', '0', '65536', 'localhost', 'http://', 'ftp://a/', '::1:80'])(
    'the address %j is refused with an example',
    (text) => {
      expect(() => parseReadyAddress(text)).toThrow(UsageError);
      expect(() => parseReadyAddress(text)).toThrow('http://localhost:3000/');
    },
  );
});
