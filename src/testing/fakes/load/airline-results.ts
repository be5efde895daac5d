/**
 * Results of 50 tasks of 4 trials in the form of tau-bench. They are not its published airline trajectories, which are too
 * large to be here: they pass as often. With the published pass^1 to pass^4 of 0.420, 0.273, 0.220 and 0.200 there is one
 * way only in which 200 trials can be divided among tasks that pass 0, 1, 2, 3 and 4 times.
 */
export function airlineResults(): unknown[] {
  const tasksWith = [14, 12, 10, 4, 10];
  const passes = tasksWith.flatMap((tasks, passed) => Array.from({ length: tasks }, () => passed));
  return passes.flatMap((passed, task) =>
    [0, 1, 2, 3].map((trial) => ({
      task_id: task,
      reward: trial < passed ? 1 : 0,
      info: {},
      traj: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
      trial,
    })),
  );
}
