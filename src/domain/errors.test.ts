import { expect, it } from 'vitest';
import { agentErrors } from './error-codes/agent-errors.ts';
import { errorsIn } from './error-codes/error-kind.ts';
import { mcpErrors } from './error-codes/mcp-errors.ts';
import { modelErrors } from './error-codes/model-errors.ts';
import { requestErrors } from './error-codes/request-errors.ts';
import { runErrors } from './error-codes/run-errors.ts';
import { targetErrors } from './error-codes/target-errors.ts';
import { verdictErrors } from './error-codes/verdict-errors.ts';
import { asAssayError, errorTable } from './errors.ts';

it('every error code belongs to one subject', () => {
  const subjects = [requestErrors, targetErrors, mcpErrors, agentErrors, modelErrors, verdictErrors, runErrors];
  const codes = subjects.flatMap((errors) => Object.keys(errorsIn(errors)));
  expect(codes).toEqual(Object.keys(errorTable));
});

it('a place that the system refuses does not count as a defect of Assay', () => {
  const refused = Object.assign(new Error("EACCES: permission denied, mkdir '/x'"), {
    code: 'EACCES',
    syscall: 'mkdir',
  });
  expect(asAssayError(refused)).toMatchObject({ code: 'FILE_REFUSED', message: refused.message, blame: 'user' });
  expect(asAssayError(refused, 'STORE_UNAVAILABLE').code).toBe('STORE_UNAVAILABLE');
  expect(asAssayError(new Error('EACCES of our own')).code).toBe('INTERNAL');
  expect(asAssayError(Object.assign(new Error('no entry'), { code: 'ENOENT', syscall: 'open' })).code).toBe('INTERNAL');
});
