import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/support/temporary-folder.ts';
import { nearestFile } from './nearest-file.ts';

it('finds the file that was probably meant, by the path as it was written', async () => {
  const folder = await temporaryFolder({ 'agent.mjs': '', 'tools/search.mjs': '', 'notes.txt': '' });
  expect(nearestFile('./agnt.mjs', folder)).toBe('./agent.mjs');
  expect(nearestFile('../tools/serch.mjs', `${folder}/scenarios`)).toBe('../tools/search.mjs');
  expect(nearestFile('./elsewhere/agent.mjs', folder)).toBeUndefined();
  expect(nearestFile('./calendar.yaml', folder)).toBeUndefined();
});
