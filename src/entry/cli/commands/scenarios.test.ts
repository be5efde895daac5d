import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../../testing/support/assay.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';

const line = '{"name":"Booking","successCriteria":"Booked","connector":"http://localhost/","mine":{"kept":[1]}}\n';

describe('assay list scenarios', () => {
  it('imports lines and exports them as they were', async () => {
    const cwd = await temporaryFolder({ 'in.jsonl': line });
    const imported = await assay(['scenarios', '--import', 'in.jsonl', '-o', 'scenarios'], { cwd });
    expect(imported).toMatchObject({ exitCode: 0, stdout: 'scenarios/booking.json\n' });
    const exported = await assay(['scenarios', 'scenarios', '--export', 'out.jsonl'], { cwd });
    expect(exported).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(line);
    expect((await assay(['scenarios', 'scenarios', '--export', '-'], { cwd })).stdout).toBe(line);
  });

  it('imports good lines and reports bad ones', async () => {
    const cwd = await temporaryFolder({ 'in.jsonl': `{"nam":"x"}\n${line}` });
    const { exitCode, stdout, stderr } = await assay(['scenarios', '--import', 'in.jsonl', '-o', 'out'], { cwd });
    expect(exitCode).toBe(2);
    expect(stdout).toBe('out/booking.json\n');
    expect(stderr).toContain('in.jsonl:1:2: unknown key `nam`');
  });

  it('needs a folder to import into, and conversations to export', async () => {
    const cwd = await temporaryFolder({
      'in.jsonl': line,
      'tool.mjs': 'export const t = () => 1;\n',
      'call.yaml': 'name: a\ncall: { module: ./tool.mjs, export: t }\ninput: {}\npassCriteria: [result === 1]\n',
    });
    expect((await assay(['scenarios', '--import', 'in.jsonl'], { cwd })).exitCode).toBe(2);
    const none = await assay(['scenarios', 'call.yaml', '--export', '-'], { cwd });
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('None of these scenarios is a conversation.');
  });
});
