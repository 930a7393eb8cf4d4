import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const SOURCE = 'function work() {\n  return 1;\n}\n';

let opened: OpenedProfile;
let path = '';
let source = '';
beforeAll(async () => {
  const directory = scratchDirectory();
  source = join(directory, 'app.js');
  path = join(directory, 'app.cpuprofile');
  writeFileSync(source, SOURCE);
  const callFrame = (functionName: string, url: string) => ({
    functionName,
    scriptId: '1',
    url,
    lineNumber: 0,
    columnNumber: 0,
  });
  const nodes = [
    { id: 1, callFrame: callFrame('(root)', ''), hitCount: 0, children: [2] },
    { id: 2, callFrame: callFrame('work', `file://${source}`), hitCount: 2 },
  ];
  const samples = { startTime: 0, endTime: 2000, samples: [2, 2], timeDeltas: [1000, 1000] };
  writeFileSync(path, JSON.stringify({ nodes, ...samples }));
  opened = await openProfile(path);
});

it('an exported page has the sources of the hottest functions, as one that the page saves', () => {
  const html = opened.export('html', { sourcesOf: path });
  const setup = JSON.parse(/id="page-setup">([^<]*)</.exec(html)?.[1] ?? '');
  const { id } = setup.files[0].sources;
  const packed = new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? '';
  const sources = Object.values(JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()));
  expect(sources).toStrictEqual([{ text: SOURCE, changed: null }]);
});

it('an exported page has no path where that of its recording is not known', () => {
  expect(opened.export('html')).not.toContain('page-sources-0');
});
