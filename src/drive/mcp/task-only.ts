import { isRecord } from '../../shared/json.ts';
import type { ToolDefinition } from './session.ts';

/** Whether a tool can only be called as a task, which needs a client that keeps track of tasks. */
export function isTaskOnly({ execution }: ToolDefinition): boolean {
  return isRecord(execution) && execution.taskSupport === 'required';
}
