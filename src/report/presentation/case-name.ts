import type { TrialRecord } from '../../domain/record.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { fillTemplates } from '../../shared/templates.ts';
import { shorten } from '../../shared/text.ts';

const templates = /\{\{[^{}]*\}\}/;
/** Marks that stand for something else: templates, `<text>`, and numbers such as `#3`. */
const placeholders = /\{\{[^{}]*\}\}|<[^<>]*>|#\d*/g;
const longestBeginning = 60;

/** Names that Assay gave: the place in a file. */
const numbered = /^(?:row|case|test)-\d+$/;

/** Whether a case has a name that says nothing about it: a number, only marks and signs, or with a template in it. */
export function needsInput(caseId: string): boolean {
  return numbered.test(caseId) || templates.test(caseId) || !/[\p{L}\p{N}]/u.test(caseId.replace(placeholders, ''));
}

/**
 * The name of a case for people; results are still paired by its id. Templates are filled in from its input, or replaced
 * by how that begins, which also follows names such as `#3`.
 */
export function caseName(caseId: string, input: string | null | undefined): string {
  if (input === null || input === undefined || !needsInput(caseId)) return caseId;
  const beginning = shorten(plainWords(input).replace(/\s+/g, ' ').trim(), longestBeginning);
  if (beginning === '') return caseId;
  const filled = filledFrom(caseId, input);
  if (templates.test(filled)) return filled.replace(templates, () => beginning);
  return needsInput(filled) ? `${filled} ${beginning}`.trim() : shorten(filled, 2 * longestBeginning);
}

const longestInput = 200;

/** How the input of a trial begins, where the name of its case needs it: for lists that do without inputs. */
export function namingInput({ caseId, excerpt }: Pick<TrialRecord, 'caseId' | 'excerpt'>): string | undefined {
  return excerpt?.input === undefined || !needsInput(caseId) ? undefined : shorten(excerpt.input, longestInput);
}

function filledFrom(caseId: string, input: string): string {
  const values = templates.test(caseId) ? fieldsOf(input) : undefined;
  if (!values) return caseId;
  const filled = fillTemplates(caseId, values);
  return typeof filled === 'string' ? filled : (JSON.stringify(filled) ?? caseId);
}

/** Data as a person would say it: `Oslo` for one field, `city: Oslo, days: 3` for several plain ones. */
export function plainWords(input: string): string {
  const fields = Object.entries(fieldsOf(input) ?? {});
  if (fields.length === 0 || fields.some(([, value]) => typeof value === 'object' && value !== null)) return input;
  const [only] = fields;
  return fields.length === 1 && only
    ? String(only[1])
    : fields.map(([name, value]) => `${name}: ${String(value)}`).join(', ');
}

/** Undefined for an input that is not an object, or that was cut: its beginning is shown instead. */
function fieldsOf(input: string): Readonly<Record<string, unknown>> | undefined {
  const values = input.startsWith('{') ? parseJson(input) : undefined;
  return isRecord(values) ? values : undefined;
}
