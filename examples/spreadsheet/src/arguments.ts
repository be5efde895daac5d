import { z } from 'zod';
import { failures } from './failures.ts';
import { FILTER_OPERATORS } from './row-filter.ts';

const OPERATION_TYPES = ['updateColumn', 'updateRow', 'filter'] as const;

const cellValue = z.union([z.string(), z.number(), z.null()], { error: 'expected text, a number or null' });

function oneOf<const Names extends readonly string[]>(what: string, names: Names) {
  return z.enum(names, {
    error: ({ input }) => `Unknown ${what} ${JSON.stringify(input)}, known are ${names.join(', ')}`,
  });
}

/** One step of an update; which fields a type needs is checked when the step is applied. */
export const operationSchema = z.strictObject({
  type: oneOf('operation type', OPERATION_TYPES),
  columnIndex: z.int().optional().describe('counted from 0; comes before columnName'),
  columnName: z.string().optional().describe('the header of the column'),
  rowIndex: z.int().optional().describe('counted from 0 below the header'),
  value: cellValue.optional().describe('the same for every row'),
  values: z.array(cellValue).optional().describe('one for each row, or for each column of updateRow'),
  filterColumn: z.string().optional().describe('the header of the column that is looked at'),
  filterOperator: oneOf('filter operator', FILTER_OPERATORS).optional(),
  filterValue: cellValue.optional(),
  filterExpression: z.string().optional().describe('such as: FundingTier equals "Very High"'),
});

/** Arguments of a call, each described for readers of the schema. */
export const argumentsSchema = z.strictObject({
  documentId: z.string().describe('which spreadsheet'),
  userId: z.string().optional().describe('user who requests the change; only the owner may'),
  operations: z
    .array(operationSchema)
    .min(1, 'at least one operation is required')
    .describe('applied in this order; a filter restricts those after it'),
  dryRun: z.boolean().default(true).catch(true).describe('a preview, which changes nothing; false commits'),
  confirm: z.boolean().default(false).describe('must be true to commit'),
});

/** One step of an update. */
export type Operation = z.infer<typeof operationSchema>;

/** Arguments of a call: a dry run unless `dryRun` is false and `confirm` is true. */
export type BulkUpdateArguments = z.input<typeof argumentsSchema>;

/** The arguments once checked, with every default filled in. */
export type BulkUpdateRequest = z.output<typeof argumentsSchema>;

/** Checks the safety gate first, then the shape, so an unconfirmed commit is refused whatever else is wrong. */
export function parseArguments(args: unknown): BulkUpdateRequest {
  if (isUnconfirmedCommit(args)) throw failures.commitNotConfirmed();
  const parsed = argumentsSchema.safeParse(args);
  if (!parsed.success) throw failures.invalidArguments(parsed.error.issues.map(describeIssue));
  return parsed.data;
}

function isUnconfirmedCommit(args: unknown): boolean {
  if (typeof args !== 'object' || args === null) return false;
  const { dryRun, confirm } = args as { dryRun?: unknown; confirm?: unknown };
  return dryRun === false && confirm !== true;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return path === '' ? issue.message : `${path.slice(1)}: ${issue.message}`;
}
