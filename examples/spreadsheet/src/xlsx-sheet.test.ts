import { read, utils, type WorkSheet, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { SpreadsheetError } from './failures.ts';
import { openXlsxSheet } from './xlsx-sheet.ts';

function workbook(sheets: Record<string, WorkSheet>): Buffer {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return write(book, { type: 'buffer', bookType: 'xlsx' });
}

const scores = utils.aoa_to_sheet([
  ['Name', 'Score', 'Since', 'Active', 'Double'],
  ['Ada', 3, new Date(Date.UTC(2024, 1, 3)), true],
  ['Bob', 4.5, 'unknown', false],
]);
scores.E2 = { t: 'n', f: 'B2*2', v: 6 };
scores['!cols'] = [{ wch: 30 }];
const legend = utils.aoa_to_sheet([
  ['Key', 'Meaning'],
  ['Score', 1000],
]);

describe('reading', () => {
  it('gives every cell of the first sheet as text', async () => {
    const { headers, rows } = await openXlsxSheet(workbook({ Scores: scores, Legend: legend }));
    expect(headers).toEqual(['Name', 'Score', 'Since', 'Active', 'Double']);
    expect(rows).toEqual([
      ['Ada', '3', '2024-02-03', 'TRUE', '6'],
      ['Bob', '4.5', 'unknown', 'FALSE', ''],
    ]);
  });

  it('skips empty rows and writes to the right ones below them', async () => {
    const bytes = workbook({ Gaps: utils.aoa_to_sheet([[], ['Name'], [], ['Ada'], [], ['Bob']]) });
    const sheet = await openXlsxSheet(bytes);
    expect(sheet.rows).toEqual([['Ada'], ['Bob']]);
    const written = read(sheet.encode([['Ada'], ['Eve']])).Sheets.Gaps;
    expect([written?.A4?.v, written?.A5?.v, written?.A6?.v]).toEqual(['Ada', undefined, 'Eve']);
  });
});

describe('writing', () => {
  it('changes the given cells and keeps other sheets, formulas, dates and column widths', async () => {
    const sheet = await openXlsxSheet(workbook({ Scores: scores, Legend: legend }));
    const [ada = [], bob = []] = sheet.rows;
    const bytes = sheet.encode([ada, ['Eve', ...bob.slice(1)]]);
    const reopened = read(bytes, { cellStyles: true, cellNF: true });
    expect(reopened.SheetNames).toEqual(['Scores', 'Legend']);
    expect(utils.sheet_to_json(reopened.Sheets.Legend ?? {}, { header: 1 })).toEqual([
      ['Key', 'Meaning'],
      ['Score', 1000],
    ]);
    const first = reopened.Sheets.Scores;
    expect(first?.A3?.v).toBe('Eve');
    expect([first?.E2?.f, first?.C2?.z]).toEqual(['B2*2', 'm/d/yy']);
    expect(first?.['!cols']?.[0]?.wch).toBe(30);
  });

  it('keeps a number cell a number only when the new text is one', async () => {
    const sheet = await openXlsxSheet(workbook({ Scores: scores }));
    const rows = sheet.rows.map((row) => row.with(1, '007'));
    const written = read(sheet.encode([rows[0] ?? [], sheet.rows[1]?.with(1, '12') ?? []])).Sheets.Scores;
    expect([written?.B2?.t, written?.B2?.v]).toEqual(['s', '007']);
    expect([written?.B3?.t, written?.B3?.v]).toEqual(['n', 12]);
  });

  it('fills cells that were not there', async () => {
    const sheet = await openXlsxSheet(workbook({ Scores: scores }));
    const reread = await openXlsxSheet(sheet.encode(sheet.rows.map((row) => row.with(4, 'new'))));
    expect(reread.rows.map((row) => row[4])).toEqual(['new', 'new']);
  });
});

describe('errors', () => {
  it('refuses a workbook without any text', async () => {
    await expect(openXlsxSheet(workbook({ Empty: utils.aoa_to_sheet([]) }))).rejects.toThrow(
      new SpreadsheetError('Excel file is empty'),
    );
  });

  it.each(['Name,Score\nAda,3\n', 'PK\x03\x04 and then junk', ''])('refuses %j', async (source) => {
    await expect(openXlsxSheet(Buffer.from(source))).rejects.toThrow(/^Excel parsing error: /);
  });
});
