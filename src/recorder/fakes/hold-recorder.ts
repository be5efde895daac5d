import { argv, stdin, stdout } from 'node:process';
import { openRecorder } from '../open-recorder.ts';

/** Opens a recorder, says where it is, and holds it until it is killed. */
const request = { folder: argv[2] ?? '', binary: 'tool', program: '/usr/bin/env', onInvocation: () => undefined };
const recorder = await openRecorder(request);
stdout.write(recorder.binFolder);
stdin.resume();
