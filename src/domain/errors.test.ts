import { expect, it } from 'vitest';
import { agentErrors } from './error-codes/agent-errors.ts';
import { errorsIn } from './error-codes/error-kind.ts';
import { mcpErrors } from './error-codes/mcp-errors.ts';
import { modelErrors } from './error-codes/model-errors.ts';
import { requestErrors } from './error-codes/request-errors.ts';
import { runErrors } from './error-codes/run-errors.ts';
import { targetErrors } from './error-codes/target-errors.ts';
import { verdictErrors } from './error-codes/verdict-errors.ts';
import { errorTable } from './errors.ts';

it('every error code belongs to one subject', () => {
  const subjects = [requestErrors, targetErrors, mcpErrors, agentErrors, modelErrors, verdictErrors, runErrors];
  const codes = subjects.flatMap((errors) => Object.keys(errorsIn(errors)));
  expect(codes).toEqual(Object.keys(errorTable));
});
