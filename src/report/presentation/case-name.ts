import type { TrialRecord } from '../../domain/record.ts';
import { isRecord } from '../../shared/json.ts';
import { fillTemplates } from '../../shared/templates.ts';
import { shorten } from '../../shared/text.ts';

const templates = /\{\{[^{}]*\}\}/;
/** Marks that stand for something else: templates, `<text>`, and numbers such as `#3`. */
const placeholders = /\{\{[^{}]*\}\}|<[^<>]*>|#\d*/g;
const longestBeginning = 60;

/** Whether a case has a name that says nothing about it: only marks and signs, or with a template in it. */
export function needsInput(caseId: string): boolean {
  return templates.test(caseId) || !/[\p{L}\p{N}]/u.test(caseId.replace(placeholders, ''));
}

/**
 * The name of a case for people; results are still paired by its id. Templates are filled in from its input, or replaced
 * by how that begins, which also follows names such as `#3`.
 */
export function caseName(caseId: string, input: string | null | undefined): string {
  if (input === null || input === undefined || !needsInput(caseId)) return caseId;
  const beginning = shorten(input.replace(/\s+/g, ' ').trim(), longestBeginning);
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
  if (!templates.test(caseId) || !input.startsWith('{')) return caseId;
  try {
    const values: unknown = JSON.parse(input);
    const filled = isRecord(values) ? fillTemplates(caseId, values) : caseId;
    return typeof filled === 'string' ? filled : (JSON.stringify(filled) ?? caseId);
  } catch {
    // An input that was cut is not JSON: its beginning is shown instead.
    return caseId;
  }
}
