import { wellFormed } from '../../../shared/text.ts';

/** Where a spreadsheet may begin a cell, also one that takes another character for the separator. */
const formulaStart = /(?<=^|[;\t\r\n])(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const uncarried = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/**
 * Text of tools and files as a cell that no spreadsheet takes for a formula: an apostrophe stands before what would
 * begin one. A text that is a number stays one.
 */
export function harmlessCell(text: string): string {
  if (plainNumber.test(text)) return text;
  return wellFormed(text).replace(uncarried, '\uFFFD').replace(formulaStart, "'");
}
