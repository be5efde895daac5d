/**
 * Modules that decide verdicts, money and privacy, with the tests that must notice a mutant in them. `npm run test:mutants`
 * changes each of their expressions in turn, and expects a test to fail.
 */
export const criticalModules = [
  {
    name: 'criteria',
    mutate: ['src/score/criteria/compile/*.ts', 'src/score/criteria/library/*.ts', 'src/score/criteria/values.ts'],
    tests: ['src/score/criteria/**/*.test.ts'],
  },
  { name: 'outcome', mutate: ['src/domain/outcome.ts'], tests: ['src/domain/outcome.test.ts'] },
  {
    name: 'coverage',
    mutate: ['src/domain/trace-coverage/coverage.ts', 'src/engine/covered-answer.ts'],
    tests: ['src/domain/trace-coverage/*.test.ts', 'src/engine/covered-answer.test.ts'],
  },
  {
    name: 'reuse',
    mutate: ['src/features/reuse/trial-key.ts'],
    tests: ['src/features/reuse/trial-key.test.ts'],
  },
  { name: 'resume', mutate: ['src/engine/resume.ts'], tests: ['src/engine/resume.test.ts'] },
  {
    name: 'allowance',
    mutate: ['src/drive/gateway/{allowance,purses}.ts', 'src/drive/models/{reserved-amount,spending}.ts'],
    tests: ['src/drive/gateway/allowance.test.ts', 'src/drive/models/money.test.ts'],
  },
  { name: 'leases', mutate: ['src/keep/store/run-lease.ts'], tests: ['src/keep/store/run-lease.test.ts'] },
  {
    name: 'redaction',
    mutate: ['src/shared/redaction/{redaction,redacting-stream,secret-forms,secret-patterns,assigned-secrets}.ts'],
    tests: ['src/shared/redaction/*.test.ts'],
  },
  {
    name: 'gates',
    mutate: ['src/score/evaluators/gates/{file-gates,command-gates,text-check,reward,script-output}.ts'],
    tests: ['src/score/evaluators/gates/*.test.ts'],
  },
  { name: 'json-path', mutate: ['src/shared/json-path/*.ts'], tests: ['src/shared/json-path/*.test.ts'] },
  {
    name: 'figures',
    mutate: ['src/shared/stats/{pass-rate,repeated-passes,flakiness,permute-trials,sign-test}.ts'],
    tests: ['src/shared/stats/*.test.ts'],
  },
  {
    name: 'ci-verdict',
    mutate: ['src/report/compare/ci-verdict.ts'],
    tests: ['src/report/compare/ci-verdict.test.ts'],
  },
];
