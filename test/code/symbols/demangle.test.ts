import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demangleAll, demangleRust } from '../../../src/code/symbols/demangle.ts';
import { decodePunycode } from '../../../src/code/symbols/punycode.ts';
import { hasCorpora } from '../../helpers/corpora.ts';
import { readCorpusText } from '../../helpers/corpus-text.ts';

const UNLIKE_RUSTC = new Set([
  // Names that LLVM's test takes for invalid, while rustc's own demangler prints them.
  '_RIC8functionFKu3n3hEuE',
  '_RIC7integerKi_E',
  '_RIC7integerKi00_E',
  '_RIC7integerKi01_E',
  '_RCu5r731r',
  '_RCu8b44444yy',
  '_RNvC1au25zzzzzzzzzzzzzzzzzzzzzzzzz',
  '_RCu8_CCCAR_u4',
  '_RNvC1au21p18888888888888888888',
  // A dyn type without traits; the compiler never writes one.
  '_RIC5traitFG_DG_EL0_EuE',
  // Lifetimes past 'z, which rustc prints as '_26.
  '_RIC7bindersFGs_RLt_RLs_RLr_RLq_RLp_RLo_RLn_RLm_RLl_RLk_RLj_RLi_RLh_RLg_RLf_RLe_RLd_RLc_RLb_RLa_RL9_RL8_RL7_RL6_RL5_RL4_RL3_RL2_RL1_RL0_uEuE',
  // rustc prints the character itself, LLVM and libiberty its code point.
  '_RIC4charKc1f40d_E',
  // LLVM keeps its own suffix; it says nothing about the function.
  '_RC3dot.llvm.1234',
  '_RC3dotC5crate.llvm.6789',
]);

describe('Rust names', () => {
  test.each([
    ['_RNvC1a4main', 'a::main'],
    ['_RNCC5crates_0', 'crate::{closure#1}'],
    ['_RNCC5crate3foo', 'crate::{closure:foo#0}'],
    ['_RMC5cratep', '<_>'],
    ['_RXC5cratepC5Clone', '<_ as Clone>'],
    ['_RIC5tupleTlEE', 'tuple::<(i32,)>'],
    ['_RIC5arrayAhj4_E', 'array::<[u8; 4]>'],
    ['_RIC5constKan1_E', 'const::<-1>'],
    ['_RIC4charKca_E', "char::<'\\n'>"],
    ['_RIC4charKc2603_E', "char::<'☃'>"],
    // A combining accent has nothing here to combine with.
    ['_RIC4charKc301_E', "char::<'\\u{301}'>"],
    ['_RIC4charKca0_E', "char::<'\\u{a0}'>"],
    ['_RIC8lifetimeL_E', "lifetime::<'_>"],
    ['_RMC5crateDNtB0_4Sizep3LENKj4_EL_', '<dyn crate::Size<LEN = 4>>'],
    ['_RMC5crateWhRh1_h9_', '<u8 is 1..=9>'],
    ['_RMC5crateWcORc61_c66_Rc30_c39_E', "<char is 'a'..='f' | '0'..='9'>"],
    ['_RMC5crateWPuN', '<*const () is !null>'],
    ['_RIC6stringKRe616263_E', 'string::<"abc">'],
    ['_RIC6stringKRee28882c3bc090a_E', 'string::<"∂ü\\t\\n">'],
    [
      '_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y',
      'utf8_idents::საჭმელად_გემრიელი_სადილი',
    ],
    ['_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE', 'core::fmt::Write::write_fmt'],
    ['_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.77', 'core::fmt::Write::write_fmt'],
    [
      '_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.cold',
      'core::fmt::Write::write_fmt (.cold)',
    ],
    ['_ZN3std2rt10lang_start17h0123456789abcdefE.warm.0', 'std::rt::lang_start (.warm.0)'],
    ['_RNvC1a4main.cold', 'a::main (.cold)'],
    // Without a hash, escapes tell that the name is Rust's.
    ['_ZN24Bar$LT$$u5b$u32$u5d$$GT$E', 'Bar<[u32]>'],
    ['_ZN27_$LT$Bar$u20$as$u20$Foo$GT$3runE', '<Bar as Foo>::run'],
    ['_ZN4$RP$E', ')'],
    ['_RNvC1a4main.cold.llvm.123ABC', 'a::main (.cold)'],
    ['_RNvC1a4main.llvm.1234567890', 'a::main'],
    [
      '_ZN38_$LT$fib..Ci$u20$as$u20$fib..Shape$GT$4area17he37f3d42a486bb19E',
      '<fib::Ci as fib::Shape>::area',
    ],
  ])('the Rust name %s is demangled to %s', (mangled, expected) => {
    expect(demangleRust(mangled)).toBe(expected);
  });

  test.each([
    'main',
    '_Z3foov',
    '_ZN3foo3barEv',
    '_R',
    '_RNv',
    '_RIC4boolKb2_E',
    '_RMC5crateWcORc61_c66_',
    '_RMC5crateWhX',
    '_ZN3$x$3fooE',
    '_ZN21Bar$LT$$u5b$u32$u5d$$GT$E',
    '_ZN17h0123456789abcdefE',
    '_RB_',
    '_ZN4main4main17he714a2e23ed7db2gE',
  ])('%s is not a Rust name', (name) => {
    expect(demangleRust(name)).toBeNull();
  });

  test('a Rust name nested 10 000 deep is refused', () => {
    expect(demangleRust(`_RMC1a${'R'.repeat(499)}a`)).toMatch(/^<&+i8>$/);
    expect(demangleRust(`_RMC1a${'R'.repeat(10_000)}a`)).toBeNull();
  });

  test('backreferences that double the output at each step are cut off by its bound', () => {
    // Tuple n holds tuple n − 1 twice, the second time by reference.
    let name = 'a';
    const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
    for (let i = 0; i < 40; i++) name = `T${name}B${digits[45 - i]}_E`;
    expect(demangleRust(`_RMC1a${name}`)).toBeNull();
  });

  test('an arbitrary name is demangled or refused, never an exception', () => {
    const alphabet = fc.constantFrom(...'NvCMXYIEBRTAKLsu_0129abcGDFjhU');
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 60 }), (text) => {
        const result = demangleRust(`_R${text}`);
        return result === null || result.length <= 64 * 1024;
      }),
      { numRuns: 5000 },
    );
  });

  describe.skipIf(!hasCorpora)('of real programs', () => {
    test.each(['demangle-own/rust-v0.tsv.gz', 'demangle-own/rust-legacy.tsv.gz'])(
      'Rust names in %s demangle as by GNU or LLVM',
      (file) => {
        const rows = lines(file).filter((line) => line !== '' && !line.startsWith('#'));
        const wrong = rows.filter((row) => {
          const [mangled, ...expected] = row.split('\t') as [string, ...string[]];
          // LLVM prints the hash of its own that is in front of another suffix.
          const meant = expected.map((name) => name.replace(/\.llvm\.\d+(?=\.)/, ''));
          return !meant.includes(demangleRust(mangled) ?? '');
        });
        expect(rows.length).toBeGreaterThan(5);
        expect(wrong).toEqual([]);
      },
    );

    test("Rust names of libiberty's list demangle as listed", () => {
      const all = lines('ianlancetaylor+demangle/rust-demangle-expected').filter(
        (line) => !line.startsWith('#'),
      );
      let checked = 0;
      for (let i = 0; i + 2 < all.length; i += 3) {
        if (all[i] !== '--format=rust') continue;
        checked++;
        const mangled = all[i + 1];
        // libiberty prints characters beyond ASCII as code points, rustc as they are.
        const expected = all[i + 2].replace("'\\u{2202}'", "'∂'");
        expect([mangled, demangleRust(mangled) ?? mangled]).toEqual([mangled, expected]);
      }
      expect(checked).toBeGreaterThan(20);
    });

    test("Rust names of LLVM's list demangle as listed, but where rustc differs", () => {
      const all = lines('ianlancetaylor+demangle/rust.test');
      const differing: string[] = [];
      for (let i = 0; i + 1 < all.length; i++) {
        const expected = /^CHECK:\s+(.*)$/.exec(all[i])?.[1];
        const mangled = all[i + 1].trim();
        if (expected === undefined) continue;
        if ((demangleRust(mangled) ?? mangled) !== expected) differing.push(mangled);
      }
      expect(new Set(differing)).toEqual(UNLIKE_RUSTC);
    });
  });
});

describe('a batch of names', () => {
  test('a batch of names takes Rust names itself and hands the C++ ones over together', () => {
    const calls: (readonly string[])[] = [];
    const cpp = (names: readonly string[]) => {
      calls.push(names);
      return names.map((name) => (name === '_Z3foov' ? 'foo()' : null));
    };
    expect(demangleAll(['main', '_Z3foov', '_RNvC1a4main', '_Zbroken'], cpp)).toEqual([
      'main',
      'foo()',
      'a::main',
      '_Zbroken',
    ]);
    expect(calls).toEqual([['_Z3foov', '_Zbroken']]);
  });

  test('a batch of names hands over what GCC calls constructors of globals, and names without LLVM’s hex hash', () => {
    const names = [
      '_GLOBAL__I__Z3foov',
      '_GLOBAL_OFFSET_TABLE_',
      '_Z3barv.llvm.9D1C',
      '_Z3barv.llvm.12',
    ];
    const calls: (readonly string[])[] = [];
    demangleAll(names, (batch) => {
      calls.push(batch);
      return batch.map(() => null);
    });
    expect(calls).toEqual([['_GLOBAL__I__Z3foov', '_Z3barv', '_Z3barv.llvm.12']]);
  });

  test('a batch of names leaves C++ names mangled where there is no addon', () => {
    expect(demangleAll(['_Z3foov', '_RNvC1a4main'], null)).toEqual(['_Z3foov', 'a::main']);
  });

  test('a batch of names leaves a name of more than 64 KiB alone', () => {
    const name = `_Z${'x'.repeat(64 * 1024)}`;
    expect(demangleAll([name], () => ['never'])).toEqual([name]);
  });
});

test.each([
  ['gdel_5qa', 'gödel'],
  ['n3h', '☃'],
  ['', null],
  ['abc_', null],
])('Punycode %s decodes to %s', (encoded, expected) => {
  expect(decodePunycode(encoded)).toBe(expected);
});

function lines(file: string): string[] {
  return readCorpusText(file).split('\n');
}
