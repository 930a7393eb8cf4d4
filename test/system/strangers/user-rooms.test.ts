import { expect, test } from 'vitest';
import { UserRooms } from '../../../src/system/strangers/user-rooms.ts';

/** Processes 1000 to 1999 are of user 1, 2000 to 2999 of user 2; below they are root's. */
const rooms = (mostOfUser: number, mostOfAll: number) =>
  new UserRooms({ mostOfUser, mostOfAll, uidOf: (pid) => Math.floor(pid / 1000) });

test('the largest process of a user who has no room left is cut off, and none of another user', () => {
  const kept = rooms(100, 1000);
  expect(kept.keep(2000, 90)).toBe(-1);
  expect(kept.keep(1000, 60)).toBe(-1);
  expect(kept.keep(1001, 40)).toBe(-1);
  expect(kept.keep(1001, 41)).toBe(1000);
  kept.forget(1000);
  expect(kept.keep(1001, 100)).toBe(-1);
  expect(kept.keep(1001, 101)).toBe(1001);
});

test('a process counts with what it has now', () => {
  const kept = rooms(100, 1000);
  expect(kept.keep(1000, 90)).toBe(-1);
  expect(kept.keep(1000, 10)).toBe(-1);
  expect(kept.keep(1001, 90)).toBe(-1);
});

test('root has the room of all, in which the largest process of all is cut off', () => {
  const kept = rooms(100, 250);
  expect(kept.keep(1, 120)).toBe(-1);
  expect(kept.keep(1000, 100)).toBe(-1);
  expect(kept.keep(2000, 40)).toBe(1);
});
