import { refusalOf } from '../refusal.ts';
import { doTask, type HeavyTask, type TaskSteps } from './tasks.ts';
import type { ProcessMessage, ProcessRequest, TaskAnswer } from './work-process.ts';

let sendNext: (() => void) | undefined;

function send(message: ProcessMessage): void {
  process.send?.(message);
}

/** Says how far a task is, and hands a text over piece by piece. */
const steps: TaskSteps = {
  read: (trials) => send({ read: trials }),
  async write(piece) {
    const wanted = new Promise<void>((resolve) => {
      sendNext = resolve;
    });
    send({ piece });
    await wanted;
  },
};

async function answer(task: HeavyTask): Promise<TaskAnswer> {
  try {
    return { result: await doTask(task, steps) };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

/** First code of a process of the server: does tasks as they come, and sends the result of each or the refusal. */
function doTasks(): void {
  process.on('message', async (request: ProcessRequest) => {
    if ('more' in request) sendNext?.();
    else send(await answer(request.task as HeavyTask));
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches all processes of a terminal; the server says when its own end.
  process.on('SIGINT', () => undefined);
}

doTasks();
