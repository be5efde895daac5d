import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../testing/support/temporary-folder.ts';
import { OpenAttachments } from './open-attachments.ts';

const attachment = { path: 'a.txt', mediaType: 'text/plain', sha256: hash('sha256', 'one'), bytes: 3 } as const;

describe('the attachments of a scenario', () => {
  it('are the bytes that it was loaded with, or an error', async () => {
    const folder = await temporaryFolder({ 'a.txt': 'one' });
    const [file] = await new OpenAttachments(folder, undefined).read([attachment]);
    expect(Buffer.from(file?.read() ?? []).toString()).toBe('one');
    await writeFiles(folder, { 'a.txt': 'two' });
    await expect(new OpenAttachments(folder, undefined).read([attachment])).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      message: 'The attachment a.txt changed after the scenario was loaded.',
    });
    await expect(
      new OpenAttachments(folder, undefined).read([{ ...attachment, path: 'none.txt' }]),
    ).rejects.toMatchObject({ code: 'TARGET_NOT_LOADED' });
  });
});
