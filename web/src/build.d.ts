/**
 * Whether these pages are an HTML report: it holds its data, and nothing can be changed or started from it. The build
 * writes the value into the code, so a report has no program for what it cannot do.
 */
declare const isReport: boolean;
