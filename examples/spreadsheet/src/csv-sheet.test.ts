import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { companiesCsv } from '../test-support/temporary-storage.ts';
import { openCsvSheet } from './csv-sheet.ts';
import { SpreadsheetError } from './failures.ts';

describe('the companies fixture', () => {
  it('has the cells the scenarios rely on', async () => {
    const { headers, rows } = await openCsvSheet(await companiesCsv());
    expect([rows.length, headers.length]).toEqual([13, 35]);
    expect([headers[11], headers[23], headers[29], headers[31]]).toEqual([
      'BurnOutTier',
      'VendorIntegrationTier',
      'AlreadyTalkingTier',
      'TotalScore',
    ]);
    const tiers = rows.map((row) => row[29]);
    expect([2, 4, 10].map((row) => tiers[row])).toEqual(['High', 'High', 'High']);
    expect(tiers.filter((tier) => tier === 'High')).toHaveLength(3);
    expect(tiers.flatMap((tier, row) => (tier === 'Medium' ? [row] : []))).toEqual([0, 7, 8, 9, 12]);
    expect([rows[0]?.[0], rows[0]?.[1], rows[0]?.[31], rows[1]?.[31]]).toEqual([
      'Anthropic',
      'anthropic.com',
      '42',
      '39',
    ]);
  });

  it('is written back byte for byte when nothing changes', async () => {
    const bytes = await companiesCsv();
    const sheet = await openCsvSheet(bytes);
    expect(sheet.encode(sheet.rows).equals(bytes)).toBe(true);
  });
});

describe('writing', () => {
  it('keeps Windows line endings and the byte order mark', async () => {
    const sheet = await openCsvSheet(Buffer.from('\uFEFFa,b\r\n1,2\r\n'));
    expect(sheet.headers).toEqual(['a', 'b']);
    expect(sheet.encode([['x', 'y']]).toString()).toBe('\uFEFFa,b\r\nx,y\r\n');
  });

  it('quotes every kind of line break, for readers that take each of them for the end of a row', async () => {
    const sheet = await openCsvSheet(Buffer.from('a,b\r\n1,2\r\n'));
    expect(sheet.encode([['x\ny', 'x\ry']]).toString()).toBe('a,b\r\n"x\ny","x\ry"\r\n');
  });

  it('gives back any cells, whatever they contain', async () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"', ',', '\n', '\r', '\r\n', ' '));
    const anyTable = fc
      .nat({ max: 3 })
      .chain((extra) => fc.array(fc.array(cell, { minLength: extra + 1, maxLength: extra + 1 }), { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(anyTable, fc.constantFrom('\n', '\r\n'), async (rows, lineBreak) => {
        const headers = (rows[0] ?? []).map((_, col) => `column ${col}`);
        const sheet = await openCsvSheet(Buffer.from(`${headers.join(',')}${lineBreak}`));
        const reread = await openCsvSheet(sheet.encode(rows));
        expect(reread.headers).toEqual(headers);
        expect(reread.rows).toEqual(rows);
      }),
      { seed: 21, numRuns: 300 },
    );
  });
});

describe('errors', () => {
  it.each(['', '\n\n', '\uFEFF'])('%j is empty', async (source) => {
    await expect(openCsvSheet(Buffer.from(source))).rejects.toThrow(new SpreadsheetError('CSV file is empty'));
  });

  it.each([
    [Buffer.from('a,b\n1\n'), /^CSV parsing error: Invalid Record Length/],
    [Buffer.from('a,b\n"1,2\n'), /^CSV parsing error: Quote Not Closed/],
    [Buffer.from([0x61, 0x0a, 0xff]), /^CSV parsing error: .*encoded data was not valid/],
  ])('%s cannot be parsed', async (bytes, message) => {
    await expect(openCsvSheet(bytes)).rejects.toThrow(message);
  });
});
