/** Meanings that a column of a table can have. */
export const columnRoles = [
  'scenario',
  'case',
  'repeat',
  'agent',
  'model',
  'variant',
  'outcome',
  'score',
  'reason',
  'error',
  'cost',
  'input-tokens',
  'output-tokens',
  'duration-ms',
  'seconds',
  'started',
  'input',
  'output',
] as const;
export type ColumnRole = (typeof columnRoles)[number];

/** The column of each role that a table has. */
export type Columns = Readonly<Partial<Record<ColumnRole, string>>>;

/** Names of columns by what they hold, the most telling ones first. */
const usualNames: Readonly<Record<ColumnRole, readonly string[]>> = {
  scenario: ['scenario', 'scenario_id', 'suite', 'benchmark', 'dataset'],
  case: ['case', 'case_id', 'task', 'task_id', 'test', 'test_id', 'test_name', 'sample_id', 'example_id', 'id', 'name'],
  repeat: ['repeat', 'trial', 'attempt', 'epoch'],
  agent: ['agent', 'agent_name'],
  model: ['model', 'model_name', 'provider'],
  variant: ['variant', 'arm', 'config', 'system'],
  outcome: ['outcome', 'passed', 'pass', 'success', 'correct', 'is_correct', 'resolved', 'verdict', 'result', 'status'],
  score: ['score', 'reward', 'rating', 'grade'],
  reason: ['reason', 'explanation', 'comment'],
  error: ['error', 'error_message', 'exception'],
  cost: ['cost', 'cost_usd', 'total_cost', 'usd'],
  'input-tokens': ['input_tokens', 'prompt_tokens', 'tokens_in'],
  'output-tokens': ['output_tokens', 'completion_tokens', 'tokens_out'],
  'duration-ms': ['duration_ms', 'latency_ms', 'elapsed_ms'],
  seconds: ['seconds', 'duration', 'duration_s', 'duration_secs', 'latency', 'elapsed', 'total_time'],
  started: ['started', 'started_at', 'start_time', 'timestamp', 'created_at', 'date'],
  input: ['input', 'question', 'prompt', 'query'],
  output: ['output', 'answer', 'response', 'completion', 'actual_output'],
};

/** Roles on which a verdict and its place depend: a wrong guess there makes another result of the table. */
const decisiveRoles: readonly ColumnRole[] = [
  'scenario',
  'case',
  'repeat',
  'agent',
  'model',
  'variant',
  'outcome',
  'score',
];

/** The columns by their names. */
export function guessColumns(names: readonly string[]): Columns {
  const plain = new Map(names.map((name) => [plainName(name), name]).reverse() as [string, string][]);
  const found = columnRoles.flatMap((role) => {
    const usual = usualNames[role].find((name) => plain.has(name));
    return usual === undefined ? [] : [[role, plain.get(usual)] as const];
  });
  return Object.fromEntries(found);
}

/** Whether columns have the names of what they hold, and are therefore not a guess. */
export function isCertain(columns: Columns): boolean {
  return decisiveRoles.every((role) => columns[role] === undefined || plainName(columns[role]) === plainName(role));
}

/** `case=task,outcome=passed`. */
export function columnsText(columns: Columns): string {
  return Object.entries(columns)
    .map(([role, column]) => `${role}=${column}`)
    .join(',');
}

function plainName(name: string): string {
  return name
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}
