import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile as Pprof } from 'pprof-format';

/** Profiles in a folder, by service. */
export function profilesIn(folder: string): { service: string; file: string; profile: Pprof }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pb.gz'))
    .map((file) => ({
      service: file.split('/')[1] ?? '',
      file,
      profile: Pprof.decode(gunzipSync(readFileSync(join(folder, file)))),
    }));
}
