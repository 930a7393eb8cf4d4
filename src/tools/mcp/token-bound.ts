/**
 * How many tokens a text may have for a language model. Tokenizers differ, and none is loaded for this. The sum over
 * runs of the text is what they agree in, roughly:
 *
 *     word, up to a capital     one for each five letters
 *     up to three digits        one
 *     sign                      one; a lone space goes with what follows
 *     two bytes in UTF-8        one a letter, as of Greek
 *     three bytes               one and a half as of Chinese, else three; four bytes: four
 *
 * Held against two of OpenAI's (test/tools/mcp): 1.0 to 2.5 times what they count.
 */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(RUNS)) tokens += tokensOfRun(run);
  return Math.ceil(tokens * MARGIN);
}

/** Letters and digits in no order, as of a hash, have more than their runs say. */
const MARGIN = 1.25;
const RUNS = /[A-Z]?[a-z]+|[A-Z]+|\d{1,3}| +|[\s\S]/gu;
const LETTERS_OF_TOKEN = 5;

function tokensOfRun(run: string): number {
  const code = run.codePointAt(0) ?? 0;
  if (code === 0x20) return run.length > 1 ? 1 : 0.25;
  if (code < 0x80) return /[a-z]/i.test(run) ? Math.ceil(run.length / LETTERS_OF_TOKEN) : 1;
  if (code < 0x800) return 1;
  if (code >= 0x10000) return 4;
  return isCommon(code) ? 1.5 : 3;
}

/** General signs, and the scripts of Chinese, Japanese and Korean. */
function isCommon(code: number): boolean {
  return (
    (code >= 0x2000 && code < 0x3000) ||
    (code >= 0x3040 && code < 0xa000) ||
    (code >= 0xac00 && code < 0xd7b0)
  );
}
