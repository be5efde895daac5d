console.log(JSON.stringify({ light: 'green' }));
