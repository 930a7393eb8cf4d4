import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseAgentConfig } from '../../../src/tools/agent/config/parse-config.ts';

const SINKS = '"sinks": [{ "type": "pyroscope", "url": "http://pyroscope:4040" }]';

describe('the configuration of the agent', () => {
  it('the configuration has defaults for everything but the sinks', () => {
    expect(parseAgentConfig(`{ ${SINKS} }`, 'a.json')).toEqual({
      sampling: {
        ...{ event: 'cpu-clock', hz: 19, period: null, callGraph: 'fp', cpus: null },
        asksRegistered: true,
      },
      windowMs: 10_000,
      jitter: 0.2,
      windowShare: 1,
      labels: { host: hostname() },
      services: {
        ...{ hasIdle: false, hasKernel: true, sampleLabels: ['comm'] },
        ...{ only: [], except: [], rules: [] },
      },
      sinks: [
        {
          type: 'pyroscope',
          name: 'pyroscope',
          target: 'http://pyroscope:4040',
          tokenFile: null,
          tokenEnv: null,
          user: null,
          caFile: null,
          certFile: null,
          keyFile: null,
          tenant: null,
          keepDays: null,
          timeoutMs: 30_000,
        },
      ],
      spool: null,
      listen: null,
    });
  });

  it('the configuration takes every setting', () => {
    const text = `{
      "sampling": { "event": "cycles", "period": 10000000, "callGraph": "none", "cpus": [0, 1],
        "javascript": false },
      "window": { "seconds": 60, "jitter": 0, "share": 0.1 },
      "labels": { "env": "prod", "host": "$HOME" },
      "services": { "idle": true, "kernel": false, "sampleLabels": ["pid", "cpu"],
        "only": ["shop-*"], "except": ["shop-ci"],
        "rules": [{ "service": "shop-*", "labels": { "team": "shop", "home": "$HOME" } }, { "service": "*", "share": 0.5, "attach": true }] },
      "sinks": [
        { "type": "folder", "path": "/var/lib/profiles", "keepDays": 14 },
        { "type": "clickhouse", "url": "clickhouses://perf@db/profiles", "tokenEnv": "DB_PASSWORD" },
        { "type": "pyroscope", "name": "far", "url": "https://p/x", "tokenFile": "/t", "tenant": "a", "timeoutSeconds": 5,
          "user": "1234", "caFile": "/ca.pem", "certFile": "/own.pem", "keyFile": "/own.key" }
      ],
      "spool": { "directory": "/var/spool/perf-ts", "maxMiB": 10 },
      "listen": "0.0.0.0:9464", "listenTokenFile": "/t"
    }`;
    const config = parseAgentConfig(text, 'a.json');
    expect(config.sampling).toMatchObject({
      ...{ event: 'cycles', period: 10_000_000, cpus: [0, 1], asksRegistered: false },
    });
    expect([config.windowMs, config.jitter, config.windowShare, config.labels]).toEqual([
      60_000,
      0,
      0.1,
      { env: 'prod', host: process.env.HOME },
    ]);
    expect(config.services).toEqual({
      hasIdle: true,
      hasKernel: false,
      sampleLabels: ['pid', 'cpu'],
      only: ['shop-*'],
      except: ['shop-ci'],
      rules: [
        {
          service: 'shop-*',
          labels: { team: 'shop', home: process.env.HOME },
          share: null,
          attach: null,
        },
        { service: '*', labels: {}, share: 0.5, attach: true },
      ],
    });
    expect(config.sinks.map(({ name, target, timeoutMs }) => [name, target, timeoutMs])).toEqual([
      ['folder', '/var/lib/profiles', 30_000],
      ['clickhouse', 'clickhouses://perf@db/profiles', 30_000],
      ['far', 'https://p/x', 5000],
    ]);
    expect(config.sinks.map(({ keepDays }) => keepDays)).toEqual([14, null, null]);
    expect(config.sinks[2]).toMatchObject({
      ...{ user: '1234', caFile: '/ca.pem', certFile: '/own.pem', keyFile: '/own.key' },
    });
    expect(config.spool).toEqual({ directory: '/var/spool/perf-ts', maxBytes: 10 * 2 ** 20 });
    expect(config.listen).toEqual({ host: '0.0.0.0', port: 9464, tokenFile: '/t' });
  });

  it.each([
    ['{', 'a.json: not JSON'],
    ['[]', 'a.json: the whole: expected an object'],
    ['{}', 'a.json: sinks: nothing says where the profiles go'],
    [`{ ${SINKS}, "windows": {} }`, 'a.json: windows: there is no such setting'],
    [`{ ${SINKS}, "window": { "second": 1 } }`, 'a.json: window.second: there is no such setting'],
    [
      `{ ${SINKS}, "window": { "seconds": 0 } }`,
      'a.json: window.seconds: expected a number from 1',
    ],
    [
      `{ ${SINKS}, "labels": { "node": "$NO_SUCH_VARIABLE" } }`,
      'a.json: labels.node: the environment has no',
    ],
    [`{ ${SINKS}, "labels": { "a-b": "c" } }`, 'a.json: labels.a-b: a label is letters'],
    [`{ ${SINKS}, "labels": { "__name__": "c" } }`, 'a.json: labels.__name__: a label is letters'],
    [
      `{ ${SINKS}, "sampling": { "event": "cycles" } }`,
      'a.json: sampling.period: cycles is no clock',
    ],
    [`{ ${SINKS}, "sampling": { "callGraph": "dwarf" } }`, 'a.json: sampling.callGraph: expected'],
    [
      `{ ${SINKS}, "services": { "sampleLabels": ["uid"] } }`,
      'a.json: services.sampleLabels: expected',
    ],
    [`{ ${SINKS}, "services": { "rules": [{}] } }`, 'a.json: services.rules[0].service: expected'],
    [
      `{ ${SINKS}, "services": { "rules": [{ "service": "a", "share": 0 }] } }`,
      'a.json: services.rules[0].share: expected',
    ],
    [
      `{ ${SINKS}, "services": { "rules": [{ "service": "a", "hz": 5 }] } }`,
      'a.json: services.rules[0].hz: there is no such',
    ],
    [
      `{ ${SINKS}, "services": { "rules": [{ "service": "a", "labels": { "a.b": "c" } }] } }`,
      'a.json: services.rules[0].labels.a.b: a label is letters',
    ],
    [`{ ${SINKS}, "listen": "0.0.0.0:80" }`, 'a.json: listen: 0.0.0.0 is for others'],
    [`{ ${SINKS}, "listen": "9464" }`, 'a.json: listen: expected an address'],
    [
      `{ ${SINKS}, "spool": { "directory": "x" } }`,
      'a.json: spool.directory: expected an absolute',
    ],
    ['{ "sinks": [{ "type": "kafka" }] }', 'a.json: sinks[0].type: expected one of'],
    [
      '{ "sinks": [{ "type": "folder", "path": "x" }] }',
      'a.json: sinks[0].path: expected an absolute',
    ],
    ['{ "sinks": [{ "type": "otlp", "url": "ftp://x" }] }', 'a.json: sinks[0].url: expected http'],
    [
      '{ "sinks": [{ "type": "otlp", "url": "http://u:secret@x" }] }',
      'a.json: sinks[0].url: a password',
    ],
    [
      '{ "sinks": [{ "type": "clickhouse", "url": "clickhouse://u:secret@db" }] }',
      'a.json: sinks[0].url: a password',
    ],
    [
      '{ "sinks": [{ "type": "clickhouse", "url": "http://db:8123" }] }',
      'a.json: sinks[0].url: expected clickhouse or clickhouses',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "http://x", "tenant": "t" }] }',
      'sinks[0].tenant: expected',
    ],
    [
      '{ "sinks": [{ "type": "folder", "path": "/p", "keepDays": 0.5 }] }',
      'sinks[0].keepDays: expected a whole number',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "http://x", "tokenFile": "a", "tokenEnv": "b" }] }',
      'sinks[0].tokenEnv',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "https://x", "user": "a" }] }',
      'sinks[0].user: its password is missing',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "https://x", "user": "a:b", "tokenEnv": "T" }] }',
      'sinks[0].user: expected printable',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "http://x", "caFile": "/ca.pem" }] }',
      'sinks[0].caFile: expected an absolute path, of a sink whose url is by TLS',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "https://x", "keyFile": "/key.pem" }] }',
      'sinks[0].certFile: a certificate and its key come together',
    ],
    [
      '{ "sinks": [{ "type": "otlp", "url": "http://x" }, { "type": "otlp", "url": "http://y" }] }',
      'two are called otlp',
    ],
  ])('says what is wrong in %s', (text, message) => {
    expect(() => parseAgentConfig(text, 'a.json')).toThrow(message);
    // A secret in the wrong place is not repeated.
    expect(() => parseAgentConfig(text, 'a.json')).not.toThrow('secret');
  });
});
