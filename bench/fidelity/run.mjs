console.log('wip');
