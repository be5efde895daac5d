import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import { failures } from './failures.ts';
import type { SheetOpener } from './sheet.ts';

type XlsxLibrary = typeof import('@e965/xlsx');

const ZIP_SIGNATURE = Buffer.from('PK\x03\x04');

/** Reads the first sheet of a workbook; writing replaces the changed cells and keeps everything else. */
export const openXlsxSheet: SheetOpener = async (bytes) => {
  // Loaded here, so only callers that open a workbook pay for the library.
  const xlsx: XlsxLibrary = await import('@e965/xlsx');
  const { sheetRows, table } = readTable(xlsx, firstSheet(readWorkbook(xlsx, bytes)));
  const [headers, ...rows] = table;
  if (headers === undefined) throw failures.excelEmpty();
  return {
    headers,
    rows,
    encode: (newRows) => {
      const workbook = readWorkbook(xlsx, bytes);
      const worksheet = firstSheet(workbook);
      for (const [index, newRow] of newRows.entries()) {
        for (const [col, text] of newRow.entries()) {
          if (text === rows[index]?.[col]) continue;
          const address = xlsx.utils.encode_cell({ r: sheetRows[index + 1] ?? 0, c: col });
          worksheet[address] = rewriteCell(worksheet[address], text);
        }
      }
      return xlsx.write(workbook, { type: 'buffer', bookType: 'xlsx' });
    },
  };
};

function readWorkbook(xlsx: XlsxLibrary, bytes: Buffer): WorkBook {
  try {
    // The library reads almost any text as some spreadsheet, so a damaged file has to be refused here.
    if (!bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE)) throw new Error('not an .xlsx file');
    return xlsx.read(bytes, { type: 'buffer', cellNF: true, cellStyles: true });
  } catch (cause) {
    throw failures.excelParsing(cause);
  }
}

function firstSheet(workbook: WorkBook): WorkSheet {
  return workbook.Sheets[workbook.SheetNames[0] ?? ''] ?? {};
}

/** The rows that hold any text, all equally long, and where each of them is in the sheet. */
function readTable(xlsx: XlsxLibrary, worksheet: WorkSheet): { sheetRows: number[]; table: string[][] } {
  const textsByRow = new Map<number, Map<number, string>>();
  let columnCount = 0;
  // The sheet's declared range may span a million empty rows, so only the cells themselves are visited.
  for (const address of Object.keys(worksheet).filter((key) => !key.startsWith('!'))) {
    const text = readCell(xlsx, worksheet[address]);
    if (text === '') continue;
    const { r: row, c: col } = xlsx.utils.decode_cell(address);
    textsByRow.set(row, (textsByRow.get(row) ?? new Map<number, string>()).set(col, text));
    columnCount = Math.max(columnCount, col + 1);
  }
  const sheetRows = [...textsByRow.keys()].sort((a, b) => a - b);
  const table = sheetRows.map((row) =>
    Array.from({ length: columnCount }, (_, col) => textsByRow.get(row)?.get(col) ?? ''),
  );
  return { sheetRows, table };
}

function readCell(xlsx: XlsxLibrary, cell: CellObject): string {
  if (cell.t === 'n' && typeof cell.v === 'number' && cell.z !== undefined && xlsx.SSF.is_date(String(cell.z))) {
    return xlsx.SSF.format(Number.isInteger(cell.v) ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss', cell.v);
  }
  if (cell.t === 'b' || cell.t === 'e') return cell.w ?? '';
  return String(cell.v ?? '');
}

/** A number cell stays a number when the new text is exactly one, so formulas over it still count it. */
function rewriteCell(cell: CellObject | undefined, text: string): CellObject {
  const isNumber = cell?.t === 'n' && String(Number(text)) === text && Number.isFinite(Number(text));
  return isNumber ? { t: 'n', v: Number(text) } : { t: 's', v: text };
}
