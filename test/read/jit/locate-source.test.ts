import { describe, expect, test } from 'vitest';
import { locateSource } from '../../../src/read/jit/locate-source.ts';

/** The place of a source of the map of `/srv/shop/dist/out/main.js`, with these files there. */
function locate(
  named: string,
  files: Record<string, string>,
  { resolved = named.replace('/./', '/'), content = null as string | null } = {},
): string {
  const url = '/srv/shop/dist/out/main.js.map';
  return locateSource({ named, resolved, url, content }, (path) => files[path] ?? null);
}

describe('the file of a source in a map', () => {
  test("a bundler's module is the file of its path in the nearest folder around the bundle", () => {
    const files = { '/srv/shop/src/cart.ts': 'a', '/srv/src/cart.ts': 'b' };
    expect(locate('webpack://shop/./src/cart.ts', files)).toBe('/srv/shop/src/cart.ts');
    expect(locate('webpack://shop/src/cart.ts?f00d', files)).toBe('/srv/shop/src/cart.ts');
    expect(locate('webpack:///./src/cart.ts', files)).toBe('/srv/shop/src/cart.ts');
  });

  test.each([
    'webpack://@acme/shop/./src/cart.ts',
    'webpack-internal:///(rsc)/./src/cart.ts',
    'turbopack:///[project]/src/cart.ts',
    'turbopack://[project]/src/cart.ts',
  ])('%s is a path in the project', (name) => {
    expect(locate(name, { '/srv/shop/src/cart.ts': 'a' })).toBe('/srv/shop/src/cart.ts');
  });

  test.each([
    [
      'webpack://next/dist/src/server/render.ts',
      '/srv/node_modules/next/dist/src/server/render.ts',
    ],
    ['../../../../src/render.ts', '/srv/node_modules/next/src/render.ts'],
    [
      `https://raw.example.org/me/next/${'0a'.repeat(20)}/src/x.ts`,
      '/srv/node_modules/next/src/x.ts',
    ],
    ['/srv/node_modules/.pnpm/next@1/x.ts', '/srv/node_modules/.pnpm/next@1/x.ts'],
  ])('the source %s of a dependency is in its package', (named, place) => {
    const url = '/srv/node_modules/next/dist/server.js.map';
    const resolved = named.startsWith('..') ? '/src/render.ts' : named;
    expect(locateSource({ named, resolved, url, content: null }, () => null)).toBe(place);
  });

  test('a module outside of the project keeps its way there, unless a file has its text', () => {
    const named = 'webpack:///../../ui/src/x.ts';
    const options = { resolved: 'webpack:///ui/src/x.ts', content: 'a' };
    expect(locate(named, {}, options)).toBe(named);
    expect(locate(named, { '/srv/ui/src/x.ts': 'a' }, options)).toBe('/srv/ui/src/x.ts');
  });

  test('the source of what a tool keeps below node_modules is where its map leads', () => {
    const url = '/srv/node_modules/.vite-temp/vite.config.ts.mjs';
    const [named, resolved] = ['../../vite.config.ts', '/srv/vite.config.ts'];
    expect(locateSource({ named, resolved, url, content: 'a' }, () => null)).toBe(resolved);
  });

  test('a file with another text than the map has is another one', () => {
    const files = { '/srv/shop/src/cart.ts': 'a\r\nb', '/srv/src/cart.ts': 'c' };
    const name = 'webpack://shop/./src/cart.ts';
    expect(locate(name, files, { content: 'c' })).toBe('/srv/src/cart.ts');
    expect(locate(name, files, { content: 'a\nb' })).toBe('/srv/shop/src/cart.ts');
    expect(locate(name, files, { content: 'd' })).toBe('webpack://shop/src/cart.ts');
  });

  test('a module without a file stays: the runtime of the bundler, and what leads out of all folders', () => {
    expect(locate('webpack://shop/webpack/bootstrap', {})).toBe('webpack://shop/webpack/bootstrap');
    const outside = 'webpack://shop/src/../../etc/passwd';
    expect(locate(outside, { '/etc/passwd': '' }, { resolved: outside })).toBe(outside);
  });

  test('a path that leads nowhere is looked for only by its text', () => {
    const files = { '/srv/shop/src/cart.ts': 'a' };
    const named = '../../../src/cart.ts';
    const resolved = '/srv/src/cart.ts';
    expect(locate(named, files, { resolved, content: 'a' })).toBe('/srv/shop/src/cart.ts');
    expect(locate(named, files, { resolved, content: 'b' })).toBe(resolved);
    // Sources of dependencies are often not published: a file of this name would be of someone else.
    expect(locate(named, files, { resolved })).toBe(resolved);
    expect(locate(named, { ...files, [resolved]: 'c' }, { resolved, content: 'a' })).toBe(resolved);
  });
});
