/** Folder of the logs that proxies write themselves, in that of a recording. */
export const writtenLogs = 'written';
