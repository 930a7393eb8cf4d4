// Packages of any of Debian's suites from the mirror that this machine uses, in a package state of its own:
// nothing is installed, and no source of the machine is changed.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** An apt configuration that knows one suite and has nothing installed. Returns its path. */
export function writeAptState(folder, suite) {
  for (const name of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(
    join(folder, 'sources.list'),
    `deb [arch=amd64 signed-by=${KEYRING}] ${findMirror()} ${suite} main\n`,
  );
  const config = join(folder, 'apt.conf');
  writeFileSync(
    config,
    `Dir::State::lists "${folder}/lists";
Dir::State::status "${folder}/status";
Dir::Cache "${folder}";
Dir::Etc::sourcelist "${folder}/sources.list";
Dir::Etc::sourceparts "-";
APT::Architecture "amd64";
APT::Sandbox::User "";
Acquire::Languages "none";
`,
  );
  return config;
}

/** The address from which this machine has Debian's main archive. */
function findMirror() {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = execFileSync(
    'apt-get',
    ['indextargets', '--format', format, 'Created-By: Packages'],
    { encoding: 'utf8' },
  );
  const archive = /^(\S+\/debian\/?) [a-z]+ main$/m.exec(targets)?.[1];
  if (archive === undefined) throw new Error("no Debian archive in this machine's apt sources");
  return archive;
}
