// Every variable of the environment, as the program sees it.
for (const name of Object.keys(process.env).sort()) console.log(`${name}=${process.env[name]}`);
