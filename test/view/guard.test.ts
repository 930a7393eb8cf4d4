import { describe, expect, it } from 'vitest';
import { admit, createToken } from '../../src/view/guard.ts';

const guard = { token: 'Zm9vYmFy', port: 4711, takesFiles: false };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

function ask(url: string, headers: Headers = {}, method = 'GET') {
  const given = Object.entries({ host: '127.0.0.1:4711', ...headers });
  const asTexts = ([name, value]: [string, Headers[string]]) =>
    [name, typeof value === 'string' ? [value] : value] as const;
  return admit(guard, { method, url, headers: Object.fromEntries(given.map(asTexts)) });
}

describe('who is answered', () => {
  it('the guard admits the page, with the token in the path', () => {
    expect(ask('/Zm9vYmFy/')).toMatchObject({ kind: 'admitted', path: '' });
    expect(ask('/Zm9vYmFy/profile/0')).toMatchObject({ kind: 'admitted', path: 'profile/0' });
    const origin = { host: 'localhost:4711', origin: 'http://localhost:4711' };
    expect(ask('/Zm9vYmFy/', { ...origin, 'sec-fetch-site': 'same-origin' }).kind).toBe('admitted');
    expect(ask('/Zm9vYmFy/source/0?name=12')).toMatchObject({ path: 'source/0' });
    expect(ask('/Zm9vYmFy/', {}, 'HEAD').kind).toBe('admitted');
  });

  it.each([
    '/',
    '',
    '/Zm9vYmFy',
    '/Zm9vYmFz/',
    '/zm9vymfy/',
    '/Zm9vYmF/',
    '/Zm9vYmFyy/',
    '//Zm9vYmFy/',
    '/x/../Zm9vYmFy/',
    '/%5am9vYmFy/',
    'http://evil.example/Zm9vYmFy/',
    '*',
  ])('the guard refuses a request for %s', (url) => {
    expect(ask(url)).toMatchObject({ kind: 'refused', status: 404 });
  });

  it.each([
    { host: 'evil.example' },
    { host: 'evil.example:4711' },
    { host: '127.0.0.1' },
    { host: '127.0.0.1:4712' },
    { host: '127.0.0.1.evil.example:4711' },
    { host: '[::1]:4711' },
    { host: '127.0.0.1.:4711' },
    { host: 'localhost.:4711' },
    { host: 'LOCALHOST:4711' },
    { host: '127.1:4711' },
    { host: '127.0.0.1:04711' },
    { host: 'x@127.0.0.1:4711' },
    { host: '' },
    { host: undefined },
    { host: ['127.0.0.1:4711', 'evil.example'] },
    { host: ['evil.example', '127.0.0.1:4711'] },
    { host: ['127.0.0.1:4711', '127.0.0.1:4711'] },
    { origin: ['http://127.0.0.1:4711', 'http://evil.example'] },
    { origin: '' },
    { 'sec-fetch-site': ['none', 'cross-site'] },
    { 'sec-fetch-site': '' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'https://127.0.0.1:4711' },
    { origin: 'http://localhost:4711' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('the guard refuses a foreign origin, even with the token: %o', (headers) => {
    expect(ask('/Zm9vYmFy/', headers)).toMatchObject({ kind: 'refused', status: 403 });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT'])(
    'the guard refuses the method %s',
    (method) => {
      expect(ask('/Zm9vYmFy/', {}, method)).toMatchObject({ kind: 'refused', status: 405 });
    },
  );
});

describe('a request with a body', () => {
  it.each([
    { 'content-length': '5' },
    { 'content-length': 'x' },
    { 'transfer-encoding': 'chunked' },
  ])('a request with a body is refused: %o', (headers) => {
    expect(ask('/Zm9vYmFy/', headers)).toMatchObject({ kind: 'refused', status: 400 });
  });

  it('a body has a length above 0', () => {
    expect(ask('/Zm9vYmFy/', { 'content-length': '0' }).kind).toBe('admitted');
  });
});

describe('a recording that the page sends', () => {
  const taking = { ...guard, takesFiles: true };
  const own = {
    host: ['127.0.0.1:4711'],
    origin: ['http://127.0.0.1:4711'],
    'content-length': ['9'],
  };
  const post = (url: string, headers: Record<string, readonly string[]>) =>
    admit(taking, { method: 'POST', url, headers });

  it('a sent recording is taken at one address, from the page', () => {
    expect(post('/Zm9vYmFy/open?name=a', own)).toMatchObject({ kind: 'admitted', path: 'open' });
    expect(post('/Zm9vYmFy/profile/0', own)).toMatchObject({ status: 405 });
    expect(post('/other/open', own)).toMatchObject({ status: 404 });
  });

  it('a sent recording is refused from elsewhere, from an unnamed origin, and where none are taken', () => {
    const { origin: _origin, ...silent } = own;
    expect(post('/Zm9vYmFy/open', silent)).toMatchObject({ status: 403 });
    const foreign = { ...own, origin: ['http://evil.example'] };
    expect(post('/Zm9vYmFy/open', foreign)).toMatchObject({ status: 403 });
    expect(admit(guard, { method: 'POST', url: '/Zm9vYmFy/open', headers: own })).toMatchObject({
      status: 405,
    });
  });
});

describe('the token', () => {
  it('the token has 128 random bits and no character that an address escapes', () => {
    const tokens = Array.from({ length: 100 }, createToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});
