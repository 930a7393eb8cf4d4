/**
 * Rolldown makes one file of all that a recorded program loads first, and one of what it lists its code with: each module of ours makes
 * Node's loader hotter. Space and comments go, since V8 reads all of the file at each start; names stay, which stacks show.
 */
const oneFile = (name) => ({
  input: `dist/register/${name}.cjs`,
  platform: 'node',
  logLevel: 'silent',
  external: ['./with-map.cjs'],
  output: {
    file: `dist/register/${name}.cjs`,
    format: 'cjs',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
});

export default [oneFile('recorded'), oneFile('listen')];
