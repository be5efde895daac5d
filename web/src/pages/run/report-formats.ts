/** Reports that can be downloaded. */
export const reportFormats = [
  { format: 'html', label: 'HTML', description: 'One page to read and to send, without a server' },
  { format: 'markdown', label: 'Markdown', description: 'For a pull request or a wiki' },
  { format: 'json', label: 'JSON', description: 'Everything, for programs' },
  { format: 'csv', label: 'CSV', description: 'One line per trial, for spreadsheets' },
  { format: 'junit', label: 'JUnit', description: 'For CI systems' },
] as const;
