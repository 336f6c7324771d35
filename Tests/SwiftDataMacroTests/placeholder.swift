// Makes the folder a target; goes away with the first file.
