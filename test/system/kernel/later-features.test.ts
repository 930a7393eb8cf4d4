import { describe, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../../src/base/event-type.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { FIELDS, RECORD } from '../../../src/options/record.ts';
import { findLaterFeature } from '../../../src/system/kernel/later-features.ts';

describe('a feature that came with a later kernel', () => {
  it.each([
    ['CODE_PAGE_SIZE', '5.10.0-32-cloud-amd64', { name: FIELDS.codePageSizes, since: '5.11' }],
    ['CODE_PAGE_SIZE', '5.11.0', null],
    ['CODE_PAGE_SIZE', '6.1.0-50-cloud-amd64', null],
    ['DATA_PAGE_SIZE', '4.19.0', { name: FIELDS.dataPageSizes, since: '5.11' }],
    ['CGROUP', '5.4.0-generic', { name: RECORD.cgroups, since: '5.7' }],
    ['CGROUP', '5.10.0', null],
    ['IP', '5.4.0', null],
  ] as const)('PERF_SAMPLE_%s on Linux %s', (field, release, found) => {
    const attr = newAttr({ sampleType: PERF_SAMPLE.IP | PERF_SAMPLE[field] });
    expect(findLaterFeature(attr, release)).toEqual(found);
  });

  it('a later event is recognized by its type and number', () => {
    const config = BigInt(PERF_COUNT_SW.CGROUP_SWITCHES);
    const event = { config, sampleType: 0 };
    expect(findLaterFeature({ ...event, type: PERF_TYPE.SOFTWARE }, '5.10.223')).toEqual({
      name: 'cgroup-switches',
      since: '5.13',
    });
    expect(findLaterFeature({ ...event, type: PERF_TYPE.SOFTWARE }, '5.13.1')).toBeNull();
    expect(findLaterFeature({ ...event, type: PERF_TYPE.HARDWARE }, '5.10.223')).toBeNull();
  });
});
